/** Where class-transformer keeps the types that `@Type` names. It ships the types of this file under another path. */
declare module 'class-transformer/cjs/storage' {
  export { defaultMetadataStorage } from 'class-transformer/types/storage';
}
