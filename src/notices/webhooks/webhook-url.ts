import { InvalidRequest } from '#kernel/app-error';
import { RefusedAddress } from '#platform/http/outgoing/address-check';
import type { SsrfGuard } from '#platform/http/outgoing/ssrf-guard';
import { TextField } from '#platform/http/routes/fields';

const WEBHOOK_URL_MAX = 2_048;
/** The pattern accepts http, because hosts of the operator's list may use it. The guard refuses it for other hosts. */
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
  /** The host, against which rate limits count messages. */
  readonly host: string;
}

/**
 * Refuses an address that the service would never call. This check resolves no name, because a caller could then probe
 * for internal names. Each delivery resolves the name.
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

/** The webhook address that the call sets for its own job, if any. A bad address is refused before any payment. */
export const callWebhookOf = (
  calls: SsrfGuard,
  { webhookUrl }: { readonly webhookUrl?: string },
): string | undefined =>
  webhookUrl === undefined ? undefined : webhookTargetOf(calls, webhookUrl, 'webhookUrl').url;
