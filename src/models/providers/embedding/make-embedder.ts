import type { Embedder } from '../embedder';
import { HttpEmbedder } from './http-embedder';
import { LocalEmbedder } from './local-embedder';
import type { EmbedderSettings } from './embedder.settings';

export const makeEmbedder = ({ embedder }: EmbedderSettings): Embedder =>
  embedder.adapter === 'http' ? new HttpEmbedder(embedder) : new LocalEmbedder();
