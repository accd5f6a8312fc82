import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

import { SMTPServer } from 'smtp-server';

interface Delivered {
  readonly from: string;
  readonly to: readonly string[];
  readonly raw: string;
}

const USER = 'lamppost';
const PASSWORD = 'p@ss:word/of a test';

const isProof = (raw: string): boolean => raw.includes('Subject: Lamppost: prove your address');

/** A mail server that keeps its mails. It can be stopped, and started again at the same port. */
export class MailServer {
  readonly delivered: Delivered[] = [];
  /** Recipients that it does not know. */
  readonly unknown = new Set<string>();
  /** The number of next mails that it refuses temporarily. */
  busy = 0;
  /** The number of clients that sent a name and a password. */
  signIns = 0;
  private server?: SMTPServer;
  private port = 0;

  constructor(private readonly speaksTls = true) {}

  async start(): Promise<this> {
    const refusal = (code: number, words: string) => Object.assign(new Error(words), { responseCode: code });
    this.server = new SMTPServer({
      // Otherwise it would warn about its well-known certificate.
      logger: false,
      disabledCommands: this.speaksTls ? [] : ['STARTTLS'],
      disableReverseLookup: true,
      allowInsecureAuth: true,
      onAuth: ({ username, password }, _session, done) => {
        this.signIns += 1;
        const isKnown = username === USER && password === PASSWORD;
        return isKnown ? done(null, { user: username }) : done(refusal(535, 'Who are you?'));
      },
      onRcptTo: ({ address }, _session, done) =>
        this.unknown.has(address) ? done(refusal(550, `No ${address} here`)) : done(),
      onData: (stream, { envelope: { mailFrom, rcptTo } }, done) => {
        const chunks: Buffer[] = [];
        stream.on('data', (chunk: Buffer) => chunks.push(chunk));
        stream.on('end', () => {
          if (this.busy > 0) {
            this.busy -= 1;
            return done(refusal(451, 'Later, please'));
          }
          const from = mailFrom === false ? '' : mailFrom.address;
          const raw = Buffer.concat(chunks).toString();
          this.delivered.push({ from, to: rcptTo.map(({ address }) => address), raw });
          return done();
        });
      },
    });
    this.server.on('error', () => undefined);
    const listener = this.server.listen(this.port, '127.0.0.1');
    await once(listener, 'listening');
    this.port = (listener.address() as AddressInfo).port;
    return this;
  }

  /** The settings of a service that uses it. */
  get env(): Readonly<Record<string, string>> {
    return {
      SMTP_URL: `smtp://${USER}:${encodeURIComponent(PASSWORD)}@127.0.0.1:${this.port}`,
      SMTP_FROM: 'alerts@lamppost.test',
    };
  }

  /** The mails to an address, without those that prove the address of a new account. */
  to(address: string): readonly Delivered[] {
    return this.all(address).filter(({ raw }) => !isProof(raw));
  }

  /** The tokens of the links that prove an address, oldest first. */
  proofsTo(address: string): readonly string[] {
    return this.all(address)
      .filter(({ raw }) => isProof(raw))
      .map(({ raw }) => /#prove=3D([\w.-]+)/.exec(raw.replaceAll('=\r\n', ''))?.[1] ?? '');
  }

  private all(address: string): readonly Delivered[] {
    return this.delivered.filter(({ to }) => to.includes(address));
  }

  async stop(): Promise<void> {
    await new Promise<void>((done) => {
      this.server?.close(() => done());
    });
  }
}
