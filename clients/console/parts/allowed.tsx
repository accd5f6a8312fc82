import type { ComponentChildren } from 'preact';

import { type Schemas, call } from './api.ts';
import { Waits } from './ui.tsx';
import { type Loaded, useLoaded } from './use.ts';

type Account = Schemas['AccountAnswer'];
type Line = Account['organisation']['may'][number];

let newest: Promise<Account> | undefined;
let pending: Promise<Account> | undefined;

/** Loads the signed-in person, the account that they act for, and its funds. Parts of a page that wait share one call. */
export const askAccount = (): Promise<Account> => {
  if (pending !== undefined) return pending;
  const answer = call('get', '/v1/account');
  const end = (): void => {
    if (pending === answer) pending = undefined;
  };
  pending = answer;
  newest = answer;
  answer.then(end, end);
  return answer;
};

/** Loads them again after something has changed: a call that began before does not count. */
export const askAccountAgain = (): Promise<Account> => {
  pending = undefined;
  return askAccount();
};

/** The account, from the newest answer that the page has. */
export const useAccount = (): Loaded<Account> => useLoaded(() => newest ?? askAccount(), []);

/** Whether the current role may do something; undefined while the role is loading. */
export const useMay = (line: Line): boolean | undefined => useAccount().data?.organisation.may.includes(line);

/** Shows content only to roles that the service does not refuse. */
export const Allowed = ({ to, children }: { readonly to: Line; readonly children: ComponentChildren }) => {
  const { data, error } = useAccount();
  if (data === undefined) return error === undefined ? <Waits /> : null;
  return data.organisation.may.includes(to) ? <>{children}</> : null;
};

/** Explains to other roles why they can't create anything. */
export const LooksOn = () =>
  useMay('change /v1/agent') === false ? (
    <p class="notice">Your role here can only view. Ask an owner for another role.</p>
  ) : null;
