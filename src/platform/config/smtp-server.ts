export interface SmtpServer {
  readonly host: string;
  readonly port: number;
  /** Speaks TLS from the first byte; otherwise the server may be asked to begin with it. */
  readonly isSecure: boolean;
  readonly user?: string;
  readonly password?: string;
}

/** The default ports: submission without and with TLS from the first byte. */
const PORTS: Readonly<Record<string, number>> = { 'smtp:': 587, 'smtps:': 465 };

export const SMTP_URL_RULE =
  'an smtp:// or smtps:// address such as smtps://user:password@mail.example.com:465';

const decoded = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
};

/** Reads `SMTP_URL`; undefined if it is malformed. A user without a password counts as a mistake. */
export const parseSmtpUrl = (text: string): SmtpServer | undefined => {
  if (!URL.canParse(text) || /[\s\p{Cc}]/u.test(text)) return undefined;
  const { protocol, hostname, port, pathname, search, hash, username, password } = new URL(text);
  const standard = PORTS[protocol];
  const isBare = ['', '/'].includes(pathname) && search === '' && hash === '';
  if (standard === undefined || hostname === '' || !isBare || port === '0') return undefined;
  const server = {
    // Brackets belong to the address, not to the host.
    host: hostname.replaceAll(/[[\]]/g, ''),
    port: port === '' ? standard : Number(port),
    isSecure: protocol === 'smtps:',
  };
  if (username === '' && password === '') return server;
  const [user = '', secret = ''] = [decoded(username), decoded(password)];
  return user === '' || secret === '' ? undefined : { ...server, user, password: secret };
};
