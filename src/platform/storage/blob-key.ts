// Folders have no dots, so no key can climb out, be hidden, or be the file of one blob and the folder of another.
const BLOB_KEY = /^(?:[A-Za-z0-9_-]{1,100}\/){0,8}[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}$/;

/** Keys come from our own ids; one that isn't a plain path is a bug or an attack, and neither may reach a disk. */
export const checkBlobKey = (key: string): string => {
  if (!BLOB_KEY.test(key)) {
    throw new Error(
      'A blob key is made of letters, digits, _ and -, in folders, with dots only in its last part.',
    );
  }
  return key;
};
