import type { Settings } from '../../platform/config/settings';
import type { Embedder } from '../embedder';
import { HttpEmbedder } from './http-embedder';
import { LocalEmbedder } from './local-embedder';

/** The embedder that the settings select. */
export const makeEmbedder = ({ embedder }: Settings): Embedder =>
  embedder.adapter === 'http' ? new HttpEmbedder(embedder) : new LocalEmbedder();
