import { RECEIPT_KEYS } from '#money/billing/receipts/receipt-signer';
import { LOG_KEYS } from '#money/billing/transparency/log-origin';
import { WEBHOOK_KEYS } from '#notices/webhooks/webhook-signature';
import type { PublishedKeys } from '#platform/config/published-keys';

/** The keys at `/.well-known/jwks.json`. The key of receipts was once the only one, so it stays first for older readers. */
export const jwksOf = (keys: PublishedKeys): { readonly keys: readonly object[] } => {
  const [receipts, ...otherReceipts] = keys.of(RECEIPT_KEYS);
  const [webhooks, ...otherWebhooks] = keys.of(WEBHOOK_KEYS);
  const all = [receipts, webhooks, ...otherReceipts, ...otherWebhooks, ...keys.of(LOG_KEYS)];
  return { keys: all.map(({ jwk }) => jwk) };
};
