import contextvars

_CURRENT = contextvars.ContextVar("current_context", default={})


def get_current():
    return _CURRENT.get()


def set_value(key, value, context=None):
    return {**(get_current() if context is None else context), key: value}


def get_value(key, context=None):
    return (get_current() if context is None else context).get(key)


def attach(context):
    return _CURRENT.set(context)


def detach(token):
    _CURRENT.reset(token)
