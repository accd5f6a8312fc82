export interface AccountLinks {
  readonly manageKeys: string;
  readonly signIn: string;
  readonly topUp: string;
}

/** Where a person goes to mend what a program can't: the links that stand beside an error. */
export const accountLinks = (publicUrl: string): AccountLinks => ({
  manageKeys: `${publicUrl}/account/keys`,
  signIn: `${publicUrl}/account/sign-in`,
  topUp: `${publicUrl}/account/billing`,
});
