const CAUSES_MAX = 8;

/** The codes of Node and undici, in words. */
const NETWORK: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens at the address',
  ENOTFOUND: 'the name has no address',
  EAI_AGAIN: 'the name server does not answer',
  EHOSTUNREACH: 'there is no route to the address',
  ENETUNREACH: 'there is no route to the address',
  ETIMEDOUT: 'no answer in time',
  UND_ERR_CONNECT_TIMEOUT: 'no connection in time',
  UND_ERR_HEADERS_TIMEOUT: 'no answer in time',
  UND_ERR_BODY_TIMEOUT: 'the rest of the answer is late',
  ECONNRESET: 'the connection was closed',
  EPIPE: 'the connection was closed',
  UND_ERR_SOCKET: 'the connection was closed',
  CERT_HAS_EXPIRED: 'the certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'the certificate is signed by nobody else',
  SELF_SIGNED_CERT_IN_CHAIN: 'the certificate has an unknown authority',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'the certificate has an unknown authority',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate is for another name',
};

/** A failed call to another party. The code expects it, so the log needs no stack to explain it. */
export class OutsideFailure extends Error {}

/** The error, its cause, the cause of that, and so on. */
export const causesOf = (error: unknown): readonly Error[] => {
  const causes: Error[] = [];
  for (let one = error; one instanceof Error && causes.length < CAUSES_MAX; one = one.cause) causes.push(one);
  return causes;
};

const networkWords = (error: Error): string | undefined => {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && Object.hasOwn(NETWORK, code) ? `${NETWORK[code]} (${code})` : undefined;
};

/** Why the network has failed, in words; undefined if it has not. The text contains no address. */
export const networkReason = (error: unknown): string | undefined =>
  causesOf(error).flatMap((one) => networkWords(one) ?? [])[0];

/** Why a call to another party has failed, in one line; undefined if the error has another origin. */
export const outsideReason = (error: unknown): string | undefined => {
  const causes = causesOf(error);
  const isOutside = causes.some((one) => one instanceof OutsideFailure || networkWords(one) !== undefined);
  if (!isOutside) return undefined;
  const texts = causes.map((one) => networkWords(one) ?? one.message.split('\n', 1)[0]!.replace(/[.:]$/, ''));
  return [...new Set(texts)].join(': ');
};
