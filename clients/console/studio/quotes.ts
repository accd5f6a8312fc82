import { useEffect } from 'preact/hooks';

import { type Schemas, call } from '../parts/api.ts';
import { useLoaded, useSettled } from '../parts/use.ts';

type Quote = Schemas['QuoteAnswer'];
export type Quoted = { readonly quote: Quote } | { readonly error: Error };

/** The least remaining validity of a quote. The person needs this time to read the price and click. */
const SPARE_MS = 60_000;

/**
 * The prices of several calls. They are quoted again before they expire. Undefined until there are prices for exactly
 * these calls.
 */
export const useQuotes = (bodies: readonly Schemas['QuoteBody'][]): readonly Quoted[] | undefined => {
  const text = JSON.stringify(bodies);
  const settled = useSettled(bodies, text);
  const settledText = JSON.stringify(settled);
  const { data, reload } = useLoaded(
    async (signal) => ({
      of: settledText,
      quotes: await Promise.all(
        settled.map((body) =>
          call('post', '/v1/agent/quote', { body, signal }).then(
            (quote): Quoted => ({ quote }),
            (error: Error): Quoted => ({ error }),
          ),
        ),
      ),
    }),
    [settledText],
  );
  useEffect(() => {
    const ends = (data?.quotes ?? []).flatMap((one) =>
      'quote' in one ? [Date.parse(one.quote.expiresAt)] : [],
    );
    if (ends.length === 0) return undefined;
    const timer = setTimeout(reload, Math.max(SPARE_MS, Math.min(...ends) - Date.now() - SPARE_MS));
    return () => clearTimeout(timer);
  }, [data]);
  return data?.of === text ? data.quotes : undefined;
};
