import { Injectable } from '@nestjs/common';

import { Database, type Queries } from '#platform/database/database';
import { END_KEYS_OF, END_SIGN_INS_OF } from './end-sign-ins.sql';

/** Ends everything that was made in an account before its address was proven. `kept` are hashes of one session. */
export const endEarlierThings = async (
  queries: Queries,
  accountId: string,
  kept: readonly Buffer[] = [],
): Promise<void> => {
  await queries.rows(END_SIGN_INS_OF, [accountId, kept], 'address-proof-sign-ins');
  await queries.rows(END_KEYS_OF, [accountId], 'address-proof-keys');
};

/** Marks the address as proven. Returns false if it is proven already, or if the account is closed. */
export const proveAddress = async (
  queries: Queries,
  { id, email }: { readonly id: string; readonly email: string },
  session: readonly Buffer[],
): Promise<boolean> => {
  const proven = await queries.one(
    `update account set proof_due = false, proven_at = now()
     where id = $1 and email = $2 and proof_due and banned_at is null returning id`,
    [id, email],
    'address-proof-set',
  );
  if (proven === undefined) return false;
  await endEarlierThings(queries, id, session);
  return true;
};

@Injectable()
export class AddressProofRepository {
  constructor(private readonly db: Database) {}

  prove(
    person: { readonly id: string; readonly email: string },
    session: readonly Buffer[],
  ): Promise<boolean> {
    return this.db.transaction((queries) => proveAddress(queries, person, session));
  }
}
