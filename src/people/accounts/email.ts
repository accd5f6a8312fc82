import { InvalidRequest } from '#kernel/app-error';

/** The field of an address in a body. `emailIn` checks the rest. */
export const EMAIL_FIELD = { min: 3, max: 254, format: 'email', example: 'you@example.com' } as const;

/** ASCII only, so that two different addresses never look the same. */
const EMAIL = /^[!-?A-~]{1,64}@[a-z0-9.-]{1,187}\.[a-z0-9-]{2,63}$/;

/** An address in its stored form, in lower case. */
export const emailIn = (text: string): string => {
  const email = text.toLowerCase();
  if (!EMAIL.test(email))
    throw new InvalidRequest('email must be an address such as you@example.com.', { param: 'email' });
  return email;
};
