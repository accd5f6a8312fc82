import { MediaStudio } from '../media-studio.tsx';
import { show } from '../shell.tsx';

show(<MediaStudio kind="video" />, { wide: true });
