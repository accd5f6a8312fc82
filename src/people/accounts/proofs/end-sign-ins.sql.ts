/** The sign-ins of an account: sessions except `$2`, links, the authenticator app with its recovery codes, and passkeys. */
export const END_SIGN_INS_OF = `
  with sessions as (
    delete from session where account_id = $1 and not token_hash = any($2::bytea[])
  ), links as (
    delete from password_reset where account_id = $1
  ), factors as (
    delete from second_factor where account_id = $1
  )
  delete from passkey where account_id = $1`;

/**
 * The keys that the person made or that spend the account's money, with the keys below them. Also the invites, the
 * webhook endpoints, and the other members of the account's own organisation.
 */
export const END_KEYS_OF = `
  with keys as (
    update api_key set deleted_at = now()
    where deleted_at is null and (account_id = $1 or member_id = $1 or exists (
      select from api_key root where root.id = any(api_key.above) and root.member_id = $1))
  ), invites as (
    update invite set revoked_at = now()
    where (organisation_id = $1 or invited_by = $1) and accepted_at is null and revoked_at is null
  ), hooks as (
    update webhook_endpoint set enabled = false, disabled_reason = 'maker'
    where enabled and (owner = $1 or member_id = $1)
  )
  delete from member where organisation_id = $1 and account_id <> $1`;
