#include "dns/tsig_words.h"

const char *tsig_words_refusal(uint16_t error)
{
	switch (error) {
	case TSIG_BADSIG: return "refuses our signature: BADSIG, is the secret the same?";
	case TSIG_BADKEY: return "refuses our signature: BADKEY, does it know the key?";
	case TSIG_BADTIME: return "refuses our signature: BADTIME, are the clocks right?";
	case TSIG_BADTRUNC: return "refuses our signature: BADTRUNC";
	default: return "refuses our signature";
	}
}

const char *tsig_words_fault(enum tsig_error error)
{
	switch (error) {
	case TSIG_FINE: return NULL;
	case TSIG_BADKEY: return "signs its answer with another key";
	case TSIG_BADTIME: return "signs its answer with a wrong time";
	default: return "signs its answer wrongly";
	}
}
