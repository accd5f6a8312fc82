import { useEffect } from 'preact/hooks';

import { type Schemas, call } from '../parts/api.ts';
import { type Loaded, useLoaded, useSettled } from '../parts/use.ts';

type Body = Schemas['QuoteBody'];
type Quote = Schemas['QuoteAnswer'];

const SETTLED_MS = 150;
/** The least remaining validity of a quote. The person needs this time to read the price and click. */
const SPARE_MS = 60_000;

/**
 * The price of a call. It is quoted again before the quote expires. `current` is set only if the quote is for exactly
 * this call.
 */
export const useQuote = (body: Body): Loaded<Quote> & { readonly current: Quote | undefined } => {
  const text = JSON.stringify(body);
  const settled = useSettled(body, text, SETTLED_MS);
  const settledText = JSON.stringify(settled);
  const quote = useLoaded(
    (signal) => call('post', '/v1/agent/quote', { body: settled, signal }),
    [settledText],
  );
  const { data, loading, reload } = quote;
  useEffect(() => {
    if (data === undefined) return undefined;
    const timer = setTimeout(reload, Math.max(SPARE_MS, Date.parse(data.expiresAt) - Date.now() - SPARE_MS));
    return () => clearTimeout(timer);
  }, [data]);
  return { ...quote, current: !loading && settledText === text ? data : undefined };
};
