class Observation:
    def __init__(self, value, attributes=None):
        self.value, self.attributes = value, attributes


class _ProxyInstrument:
    def __init__(self, make, name, *args, **kwargs):
        self._make, self._args, self._kwargs, self._real = make, (name, *args), kwargs, None

    def on_meter_set(self, meter): self._real = getattr(meter, self._make)(*self._args, **self._kwargs)
    def add(self, amount, attributes=None, context=None): self._real and self._real.add(amount, attributes, context)
    def record(self, amount, attributes=None, context=None): self._real and self._real.record(amount, attributes, context)
    def set(self, amount, attributes=None, context=None): self._real and self._real.set(amount, attributes, context)


class _ProxyMeter:
    def __init__(self):
        self._instruments, self._real = [], None

    def on_set_meter_provider(self, provider):
        self._real = provider.get_meter("proxy", None, None)
        for instrument in self._instruments:
            instrument.on_meter_set(self._real)

    def __getattr__(self, name):
        if not name.startswith("create_"):
            raise AttributeError(name)

        def create(*args, **kwargs):
            if self._real:
                return getattr(self._real, name)(*args, **kwargs)
            self._instruments.append(_ProxyInstrument(name, *args, **kwargs))
            return self._instruments[-1]

        return create


class _ProxyMeterProvider:
    def __init__(self): self._meters = []

    def get_meter(self, name, version=None, schema_url=None, attributes=None):
        self._meters.append(_ProxyMeter())
        return self._meters[-1]

    def on_set_meter_provider(self, provider):
        for meter in self._meters:
            meter.on_set_meter_provider(provider)


_PROVIDER = None
_PROXY = _ProxyMeterProvider()


def get_meter_provider():
    return _PROVIDER or _PROXY


def set_meter_provider(provider):
    global _PROVIDER
    _PROVIDER = provider
    _PROXY.on_set_meter_provider(provider)


def get_meter(name, version="", meter_provider=None, schema_url=None, attributes=None):
    return (meter_provider or get_meter_provider()).get_meter(name, version, schema_url, attributes)
