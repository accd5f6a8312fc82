import type { Person } from './account.entity';
import type { SignedInAnswer } from './accounts.dto';

/** The answer to every kind of sign-in. */
export const signedInAnswerFor = ({ id, email, createdAt }: Person, proofDue: boolean): SignedInAnswer => ({
  id,
  email,
  createdAt: createdAt.toISOString(),
  proofDue,
});
