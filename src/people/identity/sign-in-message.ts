import { type WalletAddress, parseWallet } from '#kernel/wallet-address';

/** The fields of an EIP-4361 message. */
export interface SignInMessage {
  readonly domain: string;
  readonly wallet: WalletAddress;
  readonly uri: string;
  readonly chainId: number;
  readonly nonce: string;
  readonly issuedAt: Date;
  readonly expiresAt?: Date;
  readonly notBefore?: Date;
  readonly resources: readonly string[];
}

const TIME = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)`;

/** The pattern must match the whole text, because a wallet also signs any text around the message. */
const MESSAGE = new RegExp(
  '^(?:https?://)?(?<domain>[^\\s/?#]{1,253}) wants you to sign in with your Ethereum account:\\n' +
    '(?<address>0x[0-9a-fA-F]{40})\\n\\n' +
    '(?:[^\\n]{0,1000}\\n)?\\n' +
    'URI: (?<uri>[^\\s]{1,2000})\\n' +
    'Version: 1\\n' +
    'Chain ID: (?<chain>\\d{1,15})\\n' +
    'Nonce: (?<nonce>[a-zA-Z0-9]{8,128})\\n' +
    `Issued At: (?<issued>${TIME})` +
    `(?:\\nExpiration Time: (?<expires>${TIME}))?` +
    `(?:\\nNot Before: (?<after>${TIME}))?` +
    '(?:\\nRequest ID: [^\\n]{0,500})?' +
    '(?:\\nResources:(?<resources>(?:\\n- [^\\s]{1,2000}){0,50}))?$',
);

/** The date in a text; undefined if the date does not exist, such as 30 February. */
const date = (text: string | undefined): Date | undefined => {
  const parsed = text === undefined ? undefined : new Date(text);
  return parsed === undefined || Number.isNaN(parsed.getTime()) ? undefined : parsed;
};

/** Reads an EIP-4361 text. Undefined if the fields would not produce exactly the same text. */
export const parseSignInMessage = (text: string): SignInMessage | undefined => {
  const fields = MESSAGE.exec(text)?.groups;
  const wallet = parseWallet(fields?.['address'] ?? '');
  const issuedAt = date(fields?.['issued']);
  if (fields === undefined || wallet === undefined || issuedAt === undefined) return undefined;
  const expiresAt = date(fields['expires']);
  const notBefore = date(fields['after']);
  if ((fields['expires'] && !expiresAt) || (fields['after'] && !notBefore)) return undefined;
  return {
    domain: fields['domain'] ?? '',
    wallet,
    uri: fields['uri'] ?? '',
    chainId: Number(fields['chain']),
    nonce: fields['nonce'] ?? '',
    issuedAt,
    expiresAt,
    notBefore,
    resources: (fields['resources'] ?? '').split('\n- ').slice(1),
  };
};

/** The fields of the x402 extension's flat object, from which the signed text is rebuilt. */
export interface FlatSignIn {
  readonly domain: string;
  readonly address: string;
  readonly uri: string;
  readonly version: string;
  readonly chainId: string;
  readonly nonce: string;
  readonly issuedAt: string;
  readonly statement?: string;
  readonly expirationTime?: string;
  readonly notBefore?: string;
  readonly requestId?: string;
  readonly resources?: readonly string[];
}

/** Writes the text that a wallet signs for the x402 extension's flat object. */
export const writeSignInMessage = (fields: FlatSignIn): string =>
  [
    `${fields.domain} wants you to sign in with your Ethereum account:`,
    fields.address,
    '',
    ...(fields.statement === undefined ? [''] : [fields.statement, '']),
    `URI: ${fields.uri}`,
    `Version: ${fields.version}`,
    `Chain ID: ${fields.chainId.split(':').at(-1) ?? ''}`,
    `Nonce: ${fields.nonce}`,
    `Issued At: ${fields.issuedAt}`,
    ...(fields.expirationTime === undefined ? [] : [`Expiration Time: ${fields.expirationTime}`]),
    ...(fields.notBefore === undefined ? [] : [`Not Before: ${fields.notBefore}`]),
    ...(fields.requestId === undefined ? [] : [`Request ID: ${fields.requestId}`]),
    ...(fields.resources === undefined || fields.resources.length === 0
      ? []
      : ['Resources:', ...fields.resources.map((resource) => `- ${resource}`)]),
  ].join('\n');
