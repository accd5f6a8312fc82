import type { FastifyRequest } from 'fastify';

import { keyIn } from './key-header';

const requestWith = (headers: Record<string, string>): FastifyRequest => ({ headers }) as FastifyRequest;

describe('the key of a request', () => {
  it.each([
    ['x-api-key', { 'x-api-key': 'lp_one' }, 'lp_one'],
    ['a Bearer', { authorization: 'Bearer lp_one' }, 'lp_one'],
    ['a bearer in small letters', { authorization: 'bearer  lp_one' }, 'lp_one'],
    ['x-api-key before a Bearer', { 'x-api-key': 'lp_one', authorization: 'Bearer lp_two' }, 'lp_one'],
    ['an x-api-key that is no key', { 'x-api-key': 'sk-other' }, 'sk-other'],
    ['an empty x-api-key', { 'x-api-key': '' }, ''],
    ['a Bearer that is not ours', { authorization: 'Bearer sk-other' }, undefined],
    ['another scheme', { authorization: 'Basic lp_one' }, undefined],
    ['a Bearer behind another', { authorization: 'Basic x, Bearer lp_one' }, undefined],
    ['a Bearer before more lines', { authorization: 'Bearer lp_one\nmore' }, undefined],
    ['a Bearer without a blank', { authorization: 'Bearerlp_one' }, undefined],
    ['no header', {}, undefined],
  ])('is read from %s', (_, headers, expected) => {
    expect(keyIn(requestWith(headers as Record<string, string>))).toBe(expected);
  });
});
