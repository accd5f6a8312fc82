import { useState } from 'preact/hooks';

import { Field, Form, TextInput } from '../parts/ui.tsx';
import { useAction } from '../parts/use.ts';

/** The largest difference of clocks that a receiver should accept. */
const SECONDS_MAX = 300;

const bytesOf = (base64: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));

type Fields = Readonly<Record<string, string>>;

/** Verifies a message of Standard Webhooks in this browser. The secret is not sent to any server. */
const judge = async ({
  secret = '',
  id = '',
  timestamp = '',
  signature = '',
  payload = '',
}: Fields): Promise<string> => {
  let key: Uint8Array<ArrayBuffer>;
  try {
    key = bytesOf(secret.trim().replace(/^whsec_/, ''));
  } catch {
    return 'The secret is not one of an endpoint: it begins with whsec_.';
  }
  if (key.length === 0) return 'The secret is empty.';
  const hmac = { name: 'HMAC', hash: 'SHA-256' };
  const imported = await crypto.subtle.importKey('raw', key, hmac, false, ['sign']);
  const content = new TextEncoder().encode(`${id.trim()}.${timestamp.trim()}.${payload}`);
  const made = new Uint8Array(await crypto.subtle.sign('HMAC', imported, content));
  const expected = `v1,${btoa(String.fromCharCode(...made))}`;
  if (!signature.trim().split(/\s+/).includes(expected)) {
    return 'The signature does not match. Take the body exactly as it came, before any JSON parser, and the secret of this endpoint.';
  }
  const age = Math.abs(Date.now() / 1_000 - Number(timestamp));
  return age > SECONDS_MAX
    ? 'The signature matches. The message is older than five minutes, so a receiver refuses it.'
    : 'The signature matches.';
};

/** A form that verifies a received message. */
export const SignatureCheck = () => {
  const [verdict, setVerdict] = useState('');
  const check = useAction(async (fields: Fields) => setVerdict(await judge(fields)));
  return (
    <details class="card">
      <summary>Check a signature</summary>
      <Form class="stack" onSend={check.run}>
        <p class="soft">Your browser computes it. Nothing is sent.</p>
        <TextInput label="Secret" name="secret" required autoComplete="off" placeholder="whsec_…" />
        <TextInput label="webhook-id" name="id" required autoComplete="off" />
        <TextInput
          label="webhook-timestamp"
          name="timestamp"
          required
          inputMode="numeric"
          autoComplete="off"
        />
        <TextInput
          label="webhook-signature"
          name="signature"
          required
          autoComplete="off"
          placeholder="v1,…"
        />
        <Field label="Body, exactly as it came">
          {(ids) => <textarea {...ids} name="payload" rows={5} spellcheck={false} />}
        </Field>
        <p role="status">{verdict}</p>
        <div class="actions">
          <button class="primary">Check it</button>
        </div>
      </Form>
    </details>
  );
};
