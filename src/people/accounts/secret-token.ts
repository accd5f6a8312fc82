import { randomBytes } from 'node:crypto';

/** 32 bytes in base64url. */
const SECRET_TOKEN = /^[A-Za-z0-9_-]{43}$/;

/** A secret of a session, an invite or a link. The database contains only its hash. */
export const newSecretToken = (): string => randomBytes(32).toString('base64url');

/** Whether the text can be such a secret. Other texts are not looked up. */
export const isSecretToken = (text: string): boolean => SECRET_TOKEN.test(text);
