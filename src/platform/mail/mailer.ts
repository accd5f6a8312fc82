import { Inject, Injectable } from '@nestjs/common';
import type { Transporter } from 'nodemailer';

import { networkReason } from '#kernel/outside-failure';
import { SETTINGS } from '../config/settings';
import type { MailSettings } from './mail.settings';
import type { HttpSettings } from '../http/http.settings';

const CONNECT_MS_MAX = 10_000;
/**
 * The longest wait for one answer of the server. Some servers check a mail for a while before they accept it. A try
 * contains about ten such waits.
 */
const SILENCE_MS_MAX = 45_000;

interface Mail {
  /** Each try sends the same id, so that receivers can recognise a duplicate. */
  readonly id: string;
  readonly to: readonly string[];
  readonly subject: string;
  readonly text: string;
}

/** `refused` if the server will never accept this recipient. The reason of `failed` contains no address. `isOfMail` is whether
 * the server refuses this mail for now, and may accept others. */
export type MailEnd =
  | { readonly outcome: 'sent' | 'refused' }
  | { readonly outcome: 'failed'; readonly why: string; readonly isOfMail: boolean };

interface SmtpFault {
  readonly code?: string;
  readonly command?: string;
  readonly responseCode?: number;
}

/** A server's text may contain addresses, so the reason contains only its codes. */
const endOf = ({ code = 'unknown', command = '', responseCode = 0 }: SmtpFault): MailEnd =>
  command === 'RCPT TO' && responseCode >= 500
    ? { outcome: 'refused' }
    : {
        outcome: 'failed',
        why: [code, command, responseCode].filter(Boolean).join(' '),
        isOfMail: command === 'RCPT TO' || command === 'DATA',
      };

/** The codes of the library, in words. */
const WORDS: Readonly<Record<string, string>> = {
  ESOCKET: 'does not answer',
  ECONNECTION: 'does not answer',
  ETIMEDOUT: 'does not answer in time',
  EDNS: 'has a name without an address',
  EAUTH: 'refuses the user or the password',
  ETLS: 'could not be reached over TLS',
};

/** The library replaces the code of Node by its own, so the code of Node is only in the message. */
const inWords = (fault: SmtpFault & Error): string => {
  const code = /\bE[A-Z]{4,}\b/.exec(fault.message)?.[0];
  const why = networkReason(Object.assign(new Error(), { code }));
  if (why !== undefined) return `does not answer: ${why}`;
  const end = endOf(fault);
  return `${WORDS[fault.code ?? ''] ?? 'refuses us'} (${end.outcome === 'failed' ? end.why : end.outcome})`;
};

/** Sends mails to the server of `SMTP_URL`. */
@Injectable()
export class Mailer {
  constructor(@Inject(SETTINGS) private readonly settings: MailSettings & HttpSettings) {}

  get isOn(): boolean {
    return this.settings.mail !== undefined;
  }

  async send({ id, to, subject, text }: Mail): Promise<MailEnd> {
    const { mail, serviceDomain } = this.settings;
    if (mail === undefined) throw new Error('There is no SMTP_URL.');
    try {
      // Each mail gets a new transport, because SMTP_URL may change while the service runs. A transport costs nothing
      // before it connects.
      const transport = await this.open(mail);
      await transport.sendMail({
        messageId: `<${id}@${serviceDomain.replace(/:\d+$/, '')}>`,
        // The library changes this object, and settings are frozen, so it gets a copy.
        from: { ...mail.from },
        // The recipient is an object: in a text, a comma would begin another recipient.
        to: to.map((address) => ({ name: '', address })),
        subject,
        text,
        headers: { 'Auto-Submitted': 'auto-generated' },
        disableFileAccess: true,
        disableUrlAccess: true,
      });
      return { outcome: 'sent' };
    } catch (error) {
      return endOf(error as SmtpFault);
    }
  }

  /** The verb and the reason if the server does not accept us, such as `does not answer`. */
  async problem(): Promise<string | undefined> {
    try {
      await (await this.open(this.settings.mail!)).verify();
      return undefined;
    } catch (error) {
      return inWords(error as SmtpFault & Error);
    }
  }

  /** The library is loaded only if mails are sent. A password is sent to another machine only over TLS. */
  private async open({ server, isLocal }: NonNullable<MailSettings['mail']>): Promise<Transporter> {
    const { createTransport } = await import('nodemailer');
    const { host, port, isSecure, user, password } = server;
    return createTransport({
      host,
      port,
      secure: isSecure,
      ignoreTLS: isLocal,
      requireTLS: !isLocal && user !== undefined,
      auth: user === undefined ? undefined : { user, pass: password },
      connectionTimeout: CONNECT_MS_MAX,
      dnsTimeout: CONNECT_MS_MAX,
      greetingTimeout: CONNECT_MS_MAX,
      socketTimeout: SILENCE_MS_MAX,
    });
  }
}
