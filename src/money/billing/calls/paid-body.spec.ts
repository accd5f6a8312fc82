import { PAID_FIELDS } from '#models/conversation/reading';
import { namesOf } from '#platform/http/routes/schema-of';
import { PaidBody } from './paid-body';

it('no vendor gets a field of every paid call', () => {
  expect(PAID_FIELDS).toEqual([...namesOf(PaidBody), 'model']);
});
