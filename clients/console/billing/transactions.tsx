import { type Schemas, call, download } from '../parts/api.ts';
import { money, time } from '../parts/format.ts';
import { MONEY_MOVES } from '../parts/live-events.ts';
import { Pages } from '../parts/pages-of.tsx';
import { Receipt } from './receipt.tsx';
import { Badge, Export, Select } from '../parts/ui.tsx';
import { useAddress } from '../parts/use.ts';

type Transaction = Schemas['CreditTransaction'];
type Kind = Transaction['kind'];

const KINDS: Readonly<Record<Kind, { readonly text: string; readonly tone: 'good' | 'calm' | 'busy' }>> = {
  top_up: { text: 'top-up', tone: 'good' },
  debit: { text: 'charge', tone: 'calm' },
  refund: { text: 'refund', tone: 'busy' },
};

const isKind = (text: string | null): text is Kind => text !== null && text in KINDS;

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
          'Receipt',
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
