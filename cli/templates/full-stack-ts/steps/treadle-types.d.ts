// Written by "treadle generate types", kept up to date by "treadle dev": do not edit.
import 'treadle';

declare module 'treadle' {
  interface Streams {
    tasks: { id: string; description: string; completed: boolean; createdAt: string; dueDate?: string };
  }
}
