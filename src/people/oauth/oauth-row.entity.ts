import { Entity } from 'typeorm';

import { BytesColumn, JsonColumn, TextColumn, TimeColumn } from '#platform/database/columns';

/** An object of the authorization server: an app, a sign-in under way, a code, a token or a grant. */
@Entity('oauth_row')
export class OauthRow {
  @TextColumn({ primary: true }) readonly kind: string;
  /** The hash of its id. The id of a code or a token is the code or the token itself. */
  @BytesColumn({ primary: true }) readonly idHash: Buffer;
  /** Everything else about it. */
  @JsonColumn() readonly payload: Readonly<Record<string, unknown>>;
  @TextColumn({ nullable: true }) readonly grantId?: string;
  @TimeColumn({ default: () => 'now()' }) readonly createdAt: Date;
  @TimeColumn() readonly expiresAt: Date;
  /** A code and a refresh token are good for one use. */
  @TimeColumn({ nullable: true }) readonly consumedAt?: Date;
}
