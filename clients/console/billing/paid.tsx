import { useEffect, useState } from 'preact/hooks';

import { call } from '../parts/api.ts';
import { money } from '../parts/format.ts';
import { useReloadAfter } from '../parts/live-events.ts';
import { useAddress, useLoaded } from '../parts/use.ts';

const STORED = 'top-up';
const LOOKED_AT = 20;

interface Opened {
  readonly topUpId: string;
  readonly micro: number;
  /** The id of the newest top-up when the payment began; empty if there was none. */
  readonly newest: string;
}

const topUps = async (limit: number, signal?: AbortSignal) =>
  (await call('get', '/v1/account/billing/transactions', { query: { kind: 'top_up', limit }, signal }))
    .transactions;

/** Stores in this tab which payment has begun, so that the page can confirm its end. */
export const rememberTopUp = async (topUpId: string, micro: number): Promise<void> => {
  const [newest] = await topUps(1);
  const opened: Opened = { topUpId, micro, newest: newest?.id ?? '' };
  sessionStorage.setItem(STORED, JSON.stringify(opened));
};

const remembered = (topUpId: string): Opened | undefined => {
  const text = sessionStorage.getItem(STORED);
  const opened = text === null ? undefined : (JSON.parse(text) as Opened);
  return opened?.topUpId === topUpId ? opened : undefined;
};

const hasArrived = async ({ micro, newest }: Opened, signal: AbortSignal): Promise<boolean> => {
  const found = await topUps(LOOKED_AT, signal);
  const before = found.findIndex(({ id }) => id === newest);
  return found.slice(0, before === -1 ? undefined : before).some(({ amountMicro }) => amountMicro === micro);
};

/** Confirms a payment after the checkout has returned to this page. */
export const Paid = () => {
  const [address, setAddress] = useAddress();
  const [topUpId, setTopUpId] = useState(address.get('topUp'));
  // The address loses the top-up, because a reload or a shared address must not confirm it again.
  useEffect(() => setAddress({ topUp: undefined }), []);
  const opened = topUpId === null ? undefined : remembered(topUpId);
  const { data: arrived, reload } = useLoaded(
    async (signal) => opened !== undefined && hasArrived(opened, signal),
    [topUpId],
  );
  useReloadAfter(topUpId === null ? [] : ['balance.topped_up'], reload);
  if (topUpId === null) return null;
  return (
    <div class="notice good row apart" role="status">
      <span>
        {arrived === true && opened !== undefined
          ? `Thank you. ${money(opened.micro)} was added to your balance.`
          : 'Thank you. Your balance changes as soon as the payment is confirmed.'}
      </span>
      <button type="button" class="small" onClick={() => setTopUpId(null)}>
        Close
      </button>
    </div>
  );
};
