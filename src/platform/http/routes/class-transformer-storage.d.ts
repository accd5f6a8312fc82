/**
 * The storage in which class-transformer keeps the types of `@Type`. The package has the types of this file under
 * another path.
 */
declare module 'class-transformer/cjs/storage' {
  export { defaultMetadataStorage } from 'class-transformer/types/storage';
}
