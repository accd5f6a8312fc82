/** Packages that are not part of dist/service.js, because they contain binaries or read files in their own folder. */
export const PACKAGES_APART = [
  '@contentauth/c2pa-wasm',
  '@node-rs/argon2',
  'h264-mp4-encoder',
  'mediabunny',
  'pino',
  'pino-pretty',
  'preact',
  'secp256k1',
  'sharp',
];
