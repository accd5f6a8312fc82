import { type Schemas, call } from '../parts/api.ts';
import { AddressLines } from './billing-address.tsx';
import { money } from '../parts/format.ts';
import { show } from '../parts/shell.tsx';
import { STATES } from './top-ups.tsx';
import { Empty, Loading, Problem } from '../parts/ui.tsx';
import { useAddress, useLoaded } from '../parts/use.ts';

type TopUp = Schemas['BilledTopUpAnswer'];

/** One fixed format, so that the invoice looks the same on every machine. */
const day = (iso: string): string => iso.slice(0, 10);

const titleOf = ({ state, invoice }: TopUp): string => {
  if (invoice === undefined) return state === 'pending' ? 'Unpaid top-up' : 'Top-up';
  return `${invoice.seller === undefined ? 'Receipt' : 'Invoice'} ${invoice.number}`;
};

const factsOf = ({
  id,
  state,
  createdAt,
  decidedAt,
  invoice,
}: TopUp): readonly (readonly [string, string])[] => [
  ...(invoice === undefined ? [] : [['Date', day(invoice.issuedAt)] as const]),
  ['State', STATES[state].text],
  ['Ordered', day(createdAt)],
  ...(decidedAt === undefined ? [] : [[state === 'refused' ? 'Refused' : 'Paid', day(decidedAt)] as const]),
  ['Reference', id],
];

const Document = ({ topUp }: { readonly topUp: TopUp }) => {
  const { state, amountMicro, refundedMicro, invoice } = topUp;
  const { seller, buyer } = invoice ?? {};
  return (
    <article class="card stack invoice" aria-labelledby="title">
      <h1 id="title">{titleOf(topUp)}</h1>
      <div class="grid">
        {seller === undefined ? null : (
          <div>
            <h2>From</h2>
            <address>
              {[
                seller.name,
                ...(seller.address?.split('\n') ?? []),
                ...(seller.taxId === undefined ? [] : [`Tax id ${seller.taxId}`]),
              ].map((line, at) => (
                <span key={at}>{line}</span>
              ))}
            </address>
          </div>
        )}
        {buyer === undefined ? null : (
          <div>
            <h2>To</h2>
            <AddressLines address={buyer} />
          </div>
        )}
      </div>
      <dl class="facts">
        {factsOf(topUp).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd class="breaks">{value}</dd>
          </div>
        ))}
      </dl>
      <table>
        <caption class="unseen">Amounts</caption>
        <thead>
          <tr>
            <th scope="col">For</th>
            <th scope="col" class="number">
              Amount in USD
            </th>
          </tr>
        </thead>
        <tbody>
          <tr>
            <td>Prepaid credits for generation by API</td>
            <td class="number">{money(amountMicro)}</td>
          </tr>
          {refundedMicro === 0 ? null : (
            <tr>
              <td>Refunded to the card</td>
              <td class="number">{money(-refundedMicro)}</td>
            </tr>
          )}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">{state === 'refused' || state === 'pending' ? 'Paid' : 'Total'}</th>
            <td class="number strong">
              {money(state === 'refused' || state === 'pending' ? 0 : amountMicro - refundedMicro)}
            </td>
          </tr>
        </tfoot>
      </table>
      {topUp.processor === 'sandbox' ? <p>The checkout is a sandbox: nobody has paid.</p> : null}
      <p class="soft">No tax is computed or shown. Amounts are as they were charged.</p>
      <div class="actions">
        <a class="button" href="account/billing">
          Billing
        </a>
        {invoice === undefined ? null : (
          <button type="button" class="primary" onClick={() => print()}>
            Print
          </button>
        )}
      </div>
    </article>
  );
};

const InvoicePage = () => {
  const [address] = useAddress();
  const id = address.get('topUp') ?? '';
  const { data, error } = useLoaded(
    async (signal) =>
      id === '' ? undefined : call('get', '/v1/account/billing/top-ups/{id}', { at: { id }, signal }),
    [id],
  );
  if (id === '') {
    return (
      <>
        <h1>Invoice</h1>
        <Empty title="No invoice is chosen">
          <a href="account/billing">Billing</a> lists all invoices.
        </Empty>
      </>
    );
  }
  if (data !== undefined) return <Document topUp={data} />;
  return (
    <>
      <h1>Invoice</h1>
      {error === undefined ? <Loading rows={6} /> : <Problem error={error} />}
    </>
  );
};

show(<InvoicePage />);
