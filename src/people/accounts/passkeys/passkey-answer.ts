import type { PasskeyAnswer } from '../security.dto';
import type { Passkey } from './passkey.entity';

/** A passkey as its person sees it. */
export const passkeyAnswerFor = ({ id, name, createdAt, usedAt }: Passkey): PasskeyAnswer => ({
  id,
  name,
  createdAt: createdAt.toISOString(),
  usedAt: usedAt?.toISOString(),
});
