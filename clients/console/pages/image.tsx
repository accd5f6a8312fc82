import { MediaStudio } from '../studio/media-studio.tsx';
import { show } from '../parts/shell.tsx';

show(<MediaStudio kind="image" />, { wide: true });
