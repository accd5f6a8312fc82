export interface Account {
  readonly id: string;
  readonly email: string;
  readonly createdAt: Date;
  readonly bannedAt?: Date;
}
