import { isLoopback } from '#kernel/loopback';
import { Pattern, Rotating, Text } from '../config/variables';
import { MAIL_FROM, senderOf } from './mail-sender';
import { SMTP_URL_RULE, type SmtpServer, parseSmtpUrl } from './smtp-server';
import { type SettingsOf, defineSettings, needs } from '../config/settings';

class MailVariables {
  @Rotating('mail', { switches: true }) @Text() readonly SMTP_URL?: string;
  @Pattern(MAIL_FROM, 'an e-mail address such as alerts@example.com, or Lamppost <alerts@example.com>')
  readonly SMTP_FROM?: string;
}

const serverOf = ({ SMTP_URL: url }: MailVariables): SmtpServer | undefined =>
  url === undefined ? undefined : parseSmtpUrl(url);

/** The password of the mail server, in each form in which a log line could contain it. */
const passwordsOf = ({ user, password }: Partial<SmtpServer>): readonly string[] =>
  user === undefined || password === undefined
    ? []
    : [
        password,
        encodeURIComponent(password),
        Buffer.from(password).toString('base64'),
        Buffer.from(`\0${user}\0${password}`).toString('base64'),
      ];

export const mailSettings = defineSettings({
  variables: MailVariables,
  problems: (env: MailVariables) => [
    ...needs(env, env.SMTP_URL !== undefined, 'with SMTP_URL', 'SMTP_FROM'),
    ...(env.SMTP_URL !== undefined && serverOf(env) === undefined
      ? [`SMTP_URL must be ${SMTP_URL_RULE}`]
      : []),
  ],
  read: (env: MailVariables) => {
    const server = serverOf(env);
    return {
      /** If it is undefined, the service sends no mail. */
      mail: server && { server, isLocal: isLoopback(env.SMTP_URL!), from: senderOf(env.SMTP_FROM!) },
    };
  },
  secrets: (env: MailVariables) => passwordsOf(serverOf(env) ?? {}),
});

export type MailSettings = SettingsOf<typeof mailSettings>;
