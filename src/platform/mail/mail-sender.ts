const ADDRESS = String.raw`[^\s@<>(),;:"\\]{1,64}@[^\s@<>(),;:"\\]{1,255}`;
const NAME = String.raw`[^\u0000-\u001f\u007f@<>(),;:"\\]{1,100}`;

/** An address, or a name and an address in angle brackets. The pattern allows no further header or recipient. */
export const MAIL_FROM = new RegExp(`^(?:${ADDRESS}|${NAME} <${ADDRESS}>)$`);

/** The sender of mails, as mail programs show it. */
export interface MailSender {
  readonly name: string;
  readonly address: string;
}

export const senderOf = (text: string): MailSender => {
  const [, name = 'Lamppost', address = text] = /^(.*) <(.*)>$/.exec(text) ?? [];
  return { name: name.trim(), address };
};
