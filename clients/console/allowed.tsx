import type { ComponentChildren } from 'preact';

import { type Schemas, call } from './api.ts';
import { useLoaded } from './use.ts';

type Account = Schemas['AccountAnswer'];
type Line = Account['organisation']['may'][number];

let newest: Promise<Account> | undefined;

/** Who is signed in, for whom they act, and what there is to spend. */
export const askAccount = (): Promise<Account> => {
  newest = call('get', '/v1/account');
  return newest;
};

/** Whether the role here may do something; undefined until that is known. */
export const useMay = (line: Line): boolean | undefined =>
  useLoaded(() => newest ?? askAccount(), []).data?.organisation.may.includes(line);

/** What only some roles see: whoever would be refused is not offered it. */
export const Allowed = ({ to, children }: { readonly to: Line; readonly children: ComponentChildren }) =>
  useMay(to) === true ? <>{children}</> : null;

/** Said where things are made, to those who may not. */
export const LooksOn = () =>
  useMay('change /v1/agent') === false ? (
    <p class="notice">Your role here looks on and spends nothing. Ask one of the owners for another one.</p>
  ) : null;
