import { InvalidRequest } from '../../../kernel/app-error';
import { TextField } from '../routes/fields';
import type { SsrfGuard } from './ssrf-guard';
import { RefusedAddress } from './address-check';

const WEBHOOK_URL_MAX = 2_048;
/** Only hosts of the operator's list may have addresses without TLS; the guard refuses others. */
const PATTERN = '^https?://[\\x21-\\x7e]+$';

/** A field with an address of the caller, to which the service sends messages. */
export const WebhookUrlField = (
  about: string,
  facts: { readonly optional?: boolean } = {},
): PropertyDecorator =>
  TextField({
    ...facts,
    max: WEBHOOK_URL_MAX,
    pattern: PATTERN,
    about,
    example: 'https://example.com/hooks/lamppost',
  });

export const CALL_WEBHOOK_ABOUT =
  "A public https address. The job's last event is sent there, signed with the service's own key (`v1a`), in at most 6 tries.";

/** A parsed address for webhooks. */
export interface WebhookTarget {
  readonly url: string;
  /** The host, which rate limits count. */
  readonly host: string;
}

/**
 * Refuses an address that would never be called. Each try resolves its name. This check never does, because a caller
 * could probe for internal names with it.
 */
export const webhookTargetOf = (calls: SsrfGuard, text: string, param: string): WebhookTarget => {
  try {
    const { url, host } = calls.targetOf(text);
    url.hash = '';
    if (url.href.length > WEBHOOK_URL_MAX)
      throw new RefusedAddress(`it is longer than ${WEBHOOK_URL_MAX} characters`);
    return { url: url.href, host };
  } catch (error) {
    if (!(error instanceof RefusedAddress)) throw error;
    throw new InvalidRequest(`${param} must be a public https address: ${error.message}.`, {
      param,
      cause: error,
    });
  }
};

/** The call's own address for its job, if it has one. A bad address is refused before any payment. */
export const callWebhookOf = (
  calls: SsrfGuard,
  { webhookUrl }: { readonly webhookUrl?: string },
): string | undefined =>
  webhookUrl === undefined ? undefined : webhookTargetOf(calls, webhookUrl, 'webhookUrl').url;
