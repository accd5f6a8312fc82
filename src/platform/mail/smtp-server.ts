export interface SmtpServer {
  readonly host: string;
  readonly port: number;
  /** Whether TLS begins with the first byte. If not, the client may start it later (STARTTLS). */
  readonly isSecure: boolean;
  readonly user?: string;
  readonly password?: string;
}

/** The default ports: without TLS at the beginning, and with it. */
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

/** Reads `SMTP_URL`; undefined if it is malformed. A user without a password is malformed, too. */
export const parseSmtpUrl = (text: string): SmtpServer | undefined => {
  if (!URL.canParse(text) || /[\s\p{Cc}]/u.test(text)) return undefined;
  const { protocol, hostname, port, pathname, search, hash, username, password } = new URL(text);
  const standard = PORTS[protocol];
  const isBare = ['', '/'].includes(pathname) && search === '' && hash === '';
  if (standard === undefined || hostname === '' || !isBare || port === '0') return undefined;
  const server = {
    // The brackets are part of the address's spelling, not of the host.
    host: hostname.replaceAll(/[[\]]/g, ''),
    port: port === '' ? standard : Number(port),
    isSecure: protocol === 'smtps:',
  };
  if (username === '' && password === '') return server;
  const [user = '', secret = ''] = [decoded(username), decoded(password)];
  return user === '' || secret === '' ? undefined : { ...server, user, password: secret };
};
