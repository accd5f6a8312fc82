import { InvalidRequest } from '../../../kernel/app-error';
import { TextField } from '../routes/fields';
import type { SsrfGuard } from './ssrf-guard';
import { RefusedAddress } from './address-check';

const WEBHOOK_URL_MAX = 2_048;
/** Addresses without TLS are for hosts that the operator has named, and refused elsewhere by the guard. */
const PATTERN = '^https?://[\\x21-\\x7e]+$';

/** An address of the caller's that we are to send messages to. */
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
  "A public https address: the job's last event is sent there, signed with the service's own key (`v1a`), 6 tries.";

/** An address to be told at, as the guard reads it. */
export interface WebhookTarget {
  readonly url: string;
  /** As limits count it. */
  readonly host: string;
}

/**
 * Refuses an address that would never be called. What its name means is asked at each try and never here: who may ask what
 * a name means for us finds out what is inside.
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

/** The address that a call has named for its own job, if it has. It is refused before anybody is asked to pay. */
export const callWebhookOf = (
  calls: SsrfGuard,
  { webhookUrl }: { readonly webhookUrl?: string },
): string | undefined =>
  webhookUrl === undefined ? undefined : webhookTargetOf(calls, webhookUrl, 'webhookUrl').url;
