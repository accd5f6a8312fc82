import { type Fields, isFields, jsonInBase64 } from '#kernel/json';
import {
  type FlatSignIn,
  type SignInMessage,
  parseSignInMessage,
  writeSignInMessage,
} from './sign-in-message';

/** The content of a wallet header, before its signature is verified. */
export interface SignIn {
  readonly text: string;
  readonly message: SignInMessage;
  readonly signature: `0x${string}`;
  /** True for the flat object of the x402 extension. Its message also contains the address for which it was made. */
  readonly flat: boolean;
}

const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}$/;
const SIGN_IN_BYTES_MAX = 8_192;

const isText = (value: unknown): value is string => typeof value === 'string';
const isTextOrAbsent = (value: unknown): boolean => value === undefined || isText(value);

const isFlat = (value: Fields): boolean =>
  ['domain', 'address', 'uri', 'version', 'chainId', 'nonce', 'issuedAt'].every((name) =>
    isText(value[name]),
  ) &&
  ['statement', 'expirationTime', 'notBefore', 'requestId'].every((name) => isTextOrAbsent(value[name])) &&
  (value['resources'] === undefined ||
    (Array.isArray(value['resources']) && value['resources'].every(isText)));

/**
 * Reads a wallet header, in base64 or base64url. It contains `{message, signature}`, with or without further fields, or
 * the flat object of the x402 extension. Undefined for any other content.
 */
export const readSignInHeader = (header: string): SignIn | undefined => {
  if (header.length > SIGN_IN_BYTES_MAX || !BASE64.test(header)) return undefined;
  const fields = jsonInBase64(header);
  if (!isFields(fields)) return undefined;
  const { signature, address } = fields;
  const flat = !isText(fields['message']);
  if (!isText(signature) || !/^0x[0-9a-fA-F]{2,4096}$/.test(signature) || (flat && !isFlat(fields)))
    return undefined;
  const text = flat ? writeSignInMessage(fields as unknown as FlatSignIn) : (fields['message'] as string);
  const message = parseSignInMessage(text);
  const claims = isText(address) ? address.toLowerCase() : undefined;
  if (message === undefined || (claims !== undefined && claims !== message.wallet)) return undefined;
  return { text, message, signature: signature as `0x${string}`, flat };
};
