export interface AccountLinks {
  readonly manageKeys: string;
  readonly signIn: string;
  readonly topUp: string;
}

/** Links beside an error, to the pages where a person can solve a problem that a program can't solve. */
export const accountLinks = (publicUrl: string): AccountLinks => ({
  manageKeys: `${publicUrl}/account/keys`,
  signIn: `${publicUrl}/account/sign-in`,
  topUp: `${publicUrl}/account/billing`,
});
