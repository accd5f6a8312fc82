import { Sha256Node } from '@smithy/core/checksum';
import { SignatureV4 } from '@smithy/signature-v4';

import type { UnsignedRequest } from '../http/provider-http';

/** The region and the credentials of an AWS account. */
export interface AwsAccess {
  readonly region: string;
  readonly keyId: string | undefined;
  readonly secret: string | undefined;
  readonly session: string | undefined;
}

/** Signs each request with AWS Signature Version 4. It reads the access for each request, because keys may change. */
export const signerOf =
  (access: () => AwsAccess) =>
  async ({ method, url, headers, body }: UnsignedRequest): Promise<Readonly<Record<string, string>>> => {
    const { region, keyId = '', secret = '', session } = access();
    const signer = new SignatureV4({
      credentials: {
        accessKeyId: keyId,
        secretAccessKey: secret,
        ...(session === undefined ? {} : { sessionToken: session }),
      },
      region,
      service: 'bedrock',
      sha256: Sha256Node,
    });
    const signed = await signer.sign({
      method,
      protocol: url.protocol,
      hostname: url.hostname,
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      headers: { 'content-type': headers['content-type'] ?? 'application/json', host: url.host },
      body,
    });
    const { host: _, ...more } = signed.headers;
    return more;
  };
