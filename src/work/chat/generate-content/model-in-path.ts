import type { FastifyRequest } from 'fastify';

import { NotFound } from '#kernel/app-error';

/** The model and the method that a path names, such as `lumen-flash:streamGenerateContent`. */
interface NamedCall {
  readonly model: string;
  readonly isStreamed: boolean;
}

const CALL = /^([\w.:/@-]{1,100}):(generateContent|streamGenerateContent)$/;

/** Undefined for a quote, because its body names the model. */
export const callInPath = ({ params }: FastifyRequest): NamedCall | undefined => {
  const { call } = (params ?? {}) as { readonly call?: string };
  if (call === undefined) return undefined;
  const [, model, method] = CALL.exec(call) ?? [];
  if (model === undefined)
    throw new NotFound('A model has the methods generateContent and streamGenerateContent here.');
  return { model, isStreamed: method === 'streamGenerateContent' };
};
