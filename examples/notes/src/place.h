/* Where the notes are kept. */
#ifndef PLACE_H
#define PLACE_H

/* $NOTES_FILE, or notes.txt when it is unset or empty. */
const char* notes_path(void);

#endif
