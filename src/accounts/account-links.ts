export interface AccountLinks {
  readonly manageKeys: string;
  readonly signIn: string;
  readonly topUp: string;
}

/** The pages where a person fixes a problem that a program can't: links beside an error. */
export const accountLinks = (publicUrl: string): AccountLinks => ({
  manageKeys: `${publicUrl}/account/keys`,
  signIn: `${publicUrl}/account/sign-in`,
  topUp: `${publicUrl}/account/billing`,
});
