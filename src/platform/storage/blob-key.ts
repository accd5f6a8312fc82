// Folder names have no dots, so a key can't leave the folder, be hidden, or be both a file and a folder.
const BLOB_KEY = /^(?:[A-Za-z0-9_-]{1,100}\/){0,8}[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}$/;

/**
 * Keys are made from our own ids. A key that is no plain path comes from a bug or an attack, and must not name a file.
 */
export const checkBlobKey = (key: string): string => {
  if (!BLOB_KEY.test(key)) {
    throw new Error(
      'A blob key is made of letters, digits, _ and -, in folders, with dots only in its last part.',
    );
  }
  return key;
};
