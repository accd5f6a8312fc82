import { MediaStudio } from './media-studio.tsx';
import { show } from '../parts/shell.tsx';

show(<MediaStudio kind="video" />, { wide: true });
