import type { TextVendor } from '../../contract/text-vendors';
import { FakeQuill } from './fake-quill';

/** Quill in the contract of all vendors of texts. */
export const FIXTURE: TextVendor = {
  start: () => new FakeQuill().start(),
  variables: (baseUrl, key) => ({ QUILL_BASE_URL: `${baseUrl}/v1`, QUILL_API_KEY: key }),
  plain: true,
  provider: 'quill',
  model: 'goose',
  emptyAccount: { status: 400, json: { error: { message: 'Your inkwell is empty. Fill it.' } } },
};
