import { type Schemas, call } from '../parts/api.ts';
import { money, time } from '../parts/format.ts';
import { MONEY_MOVES } from '../parts/live-events.ts';
import { Pages } from '../parts/pages-of.tsx';
import { Badge } from '../parts/ui.tsx';

type TopUp = Schemas['BilledTopUpAnswer'];

export const STATES: Readonly<
  Record<TopUp['state'], { readonly text: string; readonly tone: 'good' | 'calm' | 'busy' | 'bad' }>
> = {
  pending: { text: 'not paid yet', tone: 'calm' },
  paid: { text: 'paid', tone: 'good' },
  refused: { text: 'refused', tone: 'bad' },
  refunded: { text: 'refunded', tone: 'busy' },
  partly_refunded: { text: 'partly refunded', tone: 'busy' },
};

const Line = ({ topUp: { id, state, amountMicro, createdAt, invoice } }: { readonly topUp: TopUp }) => (
  <tr>
    <td class="nowrap">{time(createdAt)}</td>
    <td>
      <Badge tone={STATES[state].tone}>{STATES[state].text}</Badge>
    </td>
    <td class="number">{money(amountMicro)}</td>
    <td class="number">{invoice?.number ?? ''}</td>
    <td>
      <a
        href={`account/billing/invoice?topUp=${encodeURIComponent(id)}`}
        aria-label={`Open the document of ${time(createdAt)}, ${money(amountMicro)}`}
      >
        Open
      </a>
    </td>
  </tr>
);

/** Top-ups by card with their documents, newest first. */
export const TopUps = () => (
  <section class="card stack" aria-labelledby="top-ups">
    <h2 id="top-ups">Invoices</h2>
    <Pages
      title="Invoices"
      empty="No top-ups by card yet"
      live={MONEY_MOVES}
      head={[
        'When',
        'State',
        { text: 'Amount', numeric: true },
        { text: 'Number', numeric: true },
        'Document',
      ]}
      load={async (cursor) => {
        const page = await call('get', '/v1/account/billing/top-ups', { query: { cursor } });
        return { lines: page.topUps, nextCursor: page.nextCursor };
      }}
      line={(topUp) => <Line key={topUp.id} topUp={topUp} />}
    />
  </section>
);
