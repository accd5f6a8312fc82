import { type Schemas, call, download, receiptOf } from './api.ts';
import { money, time } from './format.ts';
import { MONEY_MOVES } from './live.ts';
import { Pages } from './pages-of.tsx';
import { Badge, Code, Dialog, Export, Loading, Problem, Select } from './ui.tsx';
import { useAddress, useLoaded } from './use.ts';

type Transaction = Schemas['CreditTransaction'];
type Kind = Transaction['kind'];

const KINDS: Readonly<Record<Kind, { readonly text: string; readonly tone: 'good' | 'calm' | 'busy' }>> = {
  top_up: { text: 'top-up', tone: 'good' },
  debit: { text: 'charge', tone: 'calm' },
  refund: { text: 'refund', tone: 'busy' },
};

const isKind = (text: string | null): text is Kind => text !== null && text in KINDS;

/** The signed receipt of a charge, to read or to save. */
const Receipt = ({ id, onClose }: { readonly id: string; readonly onClose: () => void }) => {
  const { data, error } = useLoaded((signal) => receiptOf(id, signal), [id]);
  const file = data === undefined ? '' : JSON.stringify(data, null, 2);
  return (
    <Dialog title="Receipt" onClose={onClose}>
      <Problem error={error} />
      {data === undefined ? (
        error === undefined && <Loading />
      ) : (
        <>
          <dl class="facts">
            {(
              [
                ['Amount', money(data.priceMicro)],
                ['State', data.state],
                ['Model', data.modelId ?? 'none'],
                ['Paid by', data.rail],
                ['Made', time(data.createdAt)],
                ['Settled', data.settledAt === undefined ? 'not yet' : time(data.settledAt)],
                ...(data.refundedAt === undefined ? [] : [['Given back', time(data.refundedAt)] as const]),
              ] as const
            ).map(([name, value]) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{value}</dd>
              </div>
            ))}
          </dl>
          <p class="soft fine">
            Signed by this service; its keys are at <a href=".well-known/jwks.json">jwks.json</a>.
          </p>
          <Code text={file} what="the receipt" />
        </>
      )}
      <div class="actions">
        <button type="button" onClick={() => print()}>
          Print
        </button>
        <a
          class="button"
          download={`${id}.json`}
          href={`data:application/json;charset=utf-8,${encodeURIComponent(file)}`}
        >
          Download
        </a>
        <button type="button" class="primary" onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  );
};

const Line = ({
  line,
  onReceipt,
}: {
  readonly line: Transaction;
  readonly onReceipt: (id: string) => void;
}) => {
  const { chargeId, kind } = line;
  return (
    <tr>
      <td class="nowrap">{time(line.createdAt)}</td>
      <td>
        <Badge tone={KINDS[kind].tone}>{KINDS[kind].text}</Badge>
      </td>
      <td>{line.modelId ?? (kind === 'top_up' ? 'Credits' : '')}</td>
      <td class="number">
        {kind === 'debit' ? '−' : '+'}
        {money(line.amountMicro)}
      </td>
      <td class="number">{money(line.balanceAfterMicro)}</td>
      <td>
        {chargeId === undefined ? null : (
          <button
            type="button"
            class="small quiet"
            aria-label={`Receipt of ${time(line.createdAt)}, ${money(line.amountMicro)}`}
            onClick={() => onReceipt(chargeId)}
          >
            Receipt
          </button>
        )}
      </td>
    </tr>
  );
};

/** Every movement of the balance, newest first. */
export const Transactions = () => {
  const [address, setAddress] = useAddress();
  const wanted = address.get('kind');
  const kind = isKind(wanted) ? wanted : undefined;
  const receipt = address.get('receipt');
  return (
    <section class="card stack" aria-labelledby="transactions">
      <div class="row apart">
        <h2 id="transactions">Transactions</h2>
        <div class="row">
          <Select
            label="Kind"
            choices={[
              { value: '', text: 'All' },
              ...Object.entries(KINDS).map(([value, { text }]) => ({ value, text: `${text}s` })),
            ]}
            value={kind ?? ''}
            onChoose={(value) => setAddress({ kind: value })}
          />
          <Export
            text="Export CSV"
            save={() =>
              download('/v1/account/billing/transactions.csv', 'lamppost-transactions.csv', {
                query: { kind },
              })
            }
          />
        </div>
      </div>
      <Pages
        title="Transactions"
        empty="No transactions yet"
        turn={kind}
        live={MONEY_MOVES}
        head={[
          'When',
          'Kind',
          'For',
          { text: 'Amount', numeric: true },
          { text: 'Balance after', numeric: true },
          'Papers',
        ]}
        load={async (cursor) => {
          const page = await call('get', '/v1/account/billing/transactions', { query: { kind, cursor } });
          return { lines: page.transactions, nextCursor: page.nextCursor };
        }}
        line={(line) => (
          <Line key={line.id} line={line} onReceipt={(id) => setAddress({ receipt: id }, 'push')} />
        )}
      />
      {receipt === null ? null : <Receipt id={receipt} onClose={() => setAddress({ receipt: undefined })} />}
    </section>
  );
};
